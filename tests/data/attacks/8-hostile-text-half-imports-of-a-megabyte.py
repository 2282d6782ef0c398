# verdict: error
# kind: 900 KB of import statements without an end
# expand: MORE 120000 import 
MORE
