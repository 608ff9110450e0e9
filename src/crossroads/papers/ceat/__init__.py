"""CEAT, IBD and EIBD (Guo and Caliskan)."""
