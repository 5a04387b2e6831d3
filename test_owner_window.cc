E Algebra::make(int n) {
    auto it = all_.emplace(n, std::make_shared<Expression>(n)).first;
    return it->second;
}
E Algebra::product(E a) {
    return make(a->n);
}
