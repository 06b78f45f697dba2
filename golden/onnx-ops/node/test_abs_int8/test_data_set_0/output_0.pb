ByJ €Za|
?Ur2Z_G1P$7e}To\G
