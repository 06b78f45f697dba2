BresultJ
˜cdù»U