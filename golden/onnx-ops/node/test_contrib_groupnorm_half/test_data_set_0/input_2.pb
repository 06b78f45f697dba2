BbetaJ0á{B¿I<²?Üc?L­i¿
en>'ŠÅ¾«Iˆ?¸x¾JÇ-¾ã/¿P?ÜA&@