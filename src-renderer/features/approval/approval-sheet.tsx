export function ApprovalSheet() {
  return null;
}
