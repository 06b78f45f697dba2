
ByJ üQ¤M0I@H<R<RCR«MÕR{RU
T¨SIPMT+T