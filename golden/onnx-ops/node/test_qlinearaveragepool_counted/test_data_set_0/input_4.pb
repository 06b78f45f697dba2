By_zeroJ
