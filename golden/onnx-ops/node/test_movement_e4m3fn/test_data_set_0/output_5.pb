BslicedJ	
%ñ×u±Y{y