
BgammaJs:k¼}@‚4