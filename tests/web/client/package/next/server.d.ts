export class NextRequest extends Request {
  readonly nextUrl: URL;
}
export class NextResponse extends Response {
  static next(): NextResponse;
  static redirect(url: URL): NextResponse;
}
