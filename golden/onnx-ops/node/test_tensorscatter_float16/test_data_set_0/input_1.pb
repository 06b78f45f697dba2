
BupdateJìº&7~9Ë¶