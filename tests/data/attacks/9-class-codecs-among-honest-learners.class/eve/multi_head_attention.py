@8-hostile-text-source-in-punycode
