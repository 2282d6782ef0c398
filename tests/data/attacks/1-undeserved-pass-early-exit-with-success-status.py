# verdict: error
# kind: early exit with success status: os._exit(0) at import, no result is ever produced
import os

os._exit(0)
