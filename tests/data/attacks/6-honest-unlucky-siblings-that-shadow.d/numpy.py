raise ImportError("my old notes, not the library")
