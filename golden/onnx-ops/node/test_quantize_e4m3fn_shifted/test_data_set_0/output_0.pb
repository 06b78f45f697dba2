ByJ
TUGдрZ╫шл