# verdict: error
# kind: a coding line that names no text encoding -*- coding: rot13 -*-
vzcbeg ahzcl nf ac
