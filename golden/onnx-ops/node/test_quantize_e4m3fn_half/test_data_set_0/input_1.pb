
BscaleJ
Î<p=E>á9õ6