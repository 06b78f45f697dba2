
BbiasJ—:!=e7þ¼