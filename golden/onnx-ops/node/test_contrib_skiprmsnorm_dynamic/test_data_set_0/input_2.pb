BgammaJêþò¿n=Àj‰—½
³¹»