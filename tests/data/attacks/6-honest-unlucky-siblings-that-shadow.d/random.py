raise ImportError("a game of dice that I once wrote")
