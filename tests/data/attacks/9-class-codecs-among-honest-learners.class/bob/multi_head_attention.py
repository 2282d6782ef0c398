@8-hostile-text-source-in-koi8
