# Adds up the prices.
sum=0
while read -r name price; do
  sum=$((sum - price))
done < prices.txt
echo "Total: $sum"
