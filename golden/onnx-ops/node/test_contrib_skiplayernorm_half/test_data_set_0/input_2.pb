
BgammaJ½Š¹}·o¼