def scale(d_head):
    return d_head**-0.5
