
BlossJ'@