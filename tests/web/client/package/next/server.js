// The part of Next that the example of a proxy uses. Next itself takes 300 MB.

export class NextRequest extends Request {
  nextUrl = new URL(this.url);
}

export class NextResponse extends Response {
  static next() {
    return new NextResponse(null, { headers: { "x-middleware-next": "1" } });
  }

  static redirect(url) {
    return new NextResponse(null, { status: 307, headers: { location: `${url}` } });
  }
}
