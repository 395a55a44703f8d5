/** Returns whether the server hid values of a statement, which it shows as `***`. */
export function hasHiddenValues(sql: string): boolean {
  return /['$]\*{3}['$]|(?:=|to) \*{3}$|\/\*{5}\/|--\*{3}$/im.test(sql);
}
