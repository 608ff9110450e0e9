library(testthat)
library(crossroads)

test_check("crossroads")
