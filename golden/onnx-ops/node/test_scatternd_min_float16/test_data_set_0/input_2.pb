
BupdatesJµ8\8ç¶æ>Ð5Pºä,±¹