"""Right answers; cells install packages, call the shell and use magics, as notebooks from the web do."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
#| !pip install --quiet einops
#| %pip install --quiet einops

# %% free before attention
#| %%bash
#| echo from a shell
#| exit 3

# %% free before test_attention
#| %load_ext autoreload
#| %autoreload 2
#| %time sum(range(1000))
#| !ls /no/such/folder
