@8-hostile-text-source-in-windows-1250
