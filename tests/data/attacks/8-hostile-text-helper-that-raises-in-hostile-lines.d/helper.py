def f():
    1 / 0  # ]0;x::error::‮󠁁­ ##[error]
