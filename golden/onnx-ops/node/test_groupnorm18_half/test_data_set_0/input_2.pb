
BbiasJœ¸ç¼