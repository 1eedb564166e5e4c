// The hooks of Next that the example of a guard uses. A test reads what the router has replaced.

export const replaced = [];
const router = { replace: (address) => replaced.push(address) };
export const useRouter = () => router;
export const usePathname = () => "/cuenta";
