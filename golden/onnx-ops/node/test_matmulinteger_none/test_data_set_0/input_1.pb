BbJ
¾VëLÕê	5p