@6-honest-unlucky-prints-to-stdout
