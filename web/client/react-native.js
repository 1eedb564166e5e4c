// What an import of the package gives in React Native.

throw new Error(
  "account-session-client does not support React Native: the session is a cookie that a browser keeps, and passkeys, Google's button and the guard need a browser. Show your front end in a web view",
);
