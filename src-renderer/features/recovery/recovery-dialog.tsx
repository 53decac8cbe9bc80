export function RecoveryDialog() {
  return null;
}
