// Prints a token of golang-jwt: go_tokens ALGORITHM AUDIENCE LIFE_S < KEY, the key as PEM (PKCS #8).
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func main() {
	token, err := sign(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "go_tokens:", err)
		os.Exit(1)
	}
	fmt.Println(token)
}

func sign(words []string) (string, error) {
	if len(words) != 3 {
		return "", fmt.Errorf("write ALGORITHM AUDIENCE LIFE_S")
	}
	pem, err := io.ReadAll(os.Stdin)
	if err != nil {
		return "", err
	}
	life, err := strconv.Atoi(words[2])
	if err != nil {
		return "", err
	}
	now := time.Now()
	claims := jwt.MapClaims{
		"iat": now.Unix(),
		"exp": now.Add(time.Duration(life) * time.Second).Unix(),
		"aud": words[1],
	}
	token := jwt.NewWithClaims(jwt.GetSigningMethod(words[0]), claims)
	token.Header["kid"] = "1"
	if words[0] == "ES256" {
		key, err := jwt.ParseECPrivateKeyFromPEM(pem)
		if err != nil {
			return "", err
		}
		return token.SignedString(key)
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM(pem)
	if err != nil {
		return "", err
	}
	return token.SignedString(key)
}
