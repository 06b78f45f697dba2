BjoinedJŠ
%ñuª×u±Å0Y{y-D¯­æ£äy