a row that carriage returns follow                                      key     
             3             1             1             1
rua                        2             3             3             0
(26I3)          (4-I12)          (3E10.2)            
  1  2  3  4
 1 2
 1       fa×  3.00E+00
