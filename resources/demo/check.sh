# Says whether total.sh adds up what prices.txt has.
if [ "$(sh total.sh)" = "Total: 12" ]; then
  echo "The total is right."
else
  echo "The total is wrong."
  exit 1
fi
