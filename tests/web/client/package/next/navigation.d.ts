export function useRouter(): { replace(href: string): void };
export function usePathname(): string;
