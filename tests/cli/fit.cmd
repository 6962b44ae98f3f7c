# The fits of docs/statements.md: mean squared errors on [-10, 10] to five digits, and the constants, of published parameters and fitted ones.
fit() { actgen fit "$@" --json | grep -o '"parameter_.*'; }
fit gelu_tanh --to gelu --parameter a --interval -10,10
fit gelu_tanh --to gelu --parameter a=0.04498017 --interval -10,10 | head -1
fit gelu_sigmoid --to gelu --parameter beta --interval -10,10
fit gelu_sigmoid --to gelu --parameter beta=1.656577 --interval -10,10 | head -1
fit -e 'tanh(sqrt(2/pi)*(x+b*x^3))' --to 'erf(x/sqrt(2))' --parameter b=0.04 --points -1:1:0.2,-4:4:0.8 | tail -1
fit -e '2*(sigmoid(a*x)-0.5)' --to 'erf(x/sqrt(2))' --parameter a=1 --points -1:1:0.2,-4:4:0.8 | tail -1
fit -e 'sigmoid(k*x)' --to normcdf --parameter k --measure max --interval -10,10 | tail -1
fit -e 'x*(p + q*x)' --to 'x^2*3 - x/2' --parameter p --parameter q --points 1,2,3 | tail -1
fit -e '0.5*x*(1+tanh(p*x+q*x^3))' --to gelu --parameter p --parameter q --interval -10,10 | tail -1
fit -e 'x*sigmoid(a*x+b*x^3+c*x^5)' --to gelu --parameter a=1.6 --parameter b=0.07 --parameter c=0 --interval -10,10 | tail -1
--- exit 0
--- stdout
"parameter_a": 0.04471*, "mse": 2.4329*e-08, "max": 0.000473*, "max_at": *, "ulp": *
"parameter_a": 0.0445227*, "mse": 2.2881*e-08, *
"parameter_a": 0.04498017*, "mse": 3.105*e-08, *
"parameter_beta": 1.702, "mse": 5.6479*e-05, *
"parameter_beta": 1.78007*, "mse": 3.599*e-05, *
"parameter_beta": 1.656577, "mse": 9.076*e-05, *
"parameter_b": 0.0449801*
"parameter_a": 1.65887*
"parameter_k": 1.701*, "max": 0.0094*
"parameter_p": -0.*, "parameter_q": *, "max": *e-*
"parameter_p": 0.79973*, "parameter_q": 0.034899*, "mse": 1.2936*e-08, *
"parameter_a": 1.5949*, "parameter_b": 0.0741*, "parameter_c": -0.000717*, "mse": 1.1*e-10, *
--- stderr
