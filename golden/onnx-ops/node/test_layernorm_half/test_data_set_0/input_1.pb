
BscaleJn¸õ¸H©U9©<¤:4u+