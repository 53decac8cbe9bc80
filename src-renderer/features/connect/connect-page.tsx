export function ConnectSection() {
  return null;
}
