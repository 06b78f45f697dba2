BmeanJLÜ.¿¸ö;¿
¦¾