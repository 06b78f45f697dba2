
BmeanJR¹Â;ð¸