
BbiasJ¬5L9â4‹¾K6´ÀXºc¼