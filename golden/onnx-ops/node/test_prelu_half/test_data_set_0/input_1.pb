
BslopeJ9´\@