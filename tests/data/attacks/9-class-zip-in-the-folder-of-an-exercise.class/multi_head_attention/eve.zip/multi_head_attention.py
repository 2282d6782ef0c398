@1-undeserved-pass-zeros-everywhere
